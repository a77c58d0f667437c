/** The page that a browser shows at the end of a sign-in. */
export interface SignInPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

export const SIGNED_IN: SignInPage = {
  status: 200,
  title: 'You are signed in',
  text: 'You can close this page and go back to the terminal.',
};

export const NOT_OURS: SignInPage = {
  status: 400,
  title: 'This is not the sign-in that Oxbow waits for',
  text: 'It may be from an earlier try. Open the address that the terminal shows.',
};

export const NOT_FOUND: SignInPage = { status: 404, title: 'Not found', text: 'There is nothing here.' };

export const CANCELLED: SignInPage = {
  status: 200,
  title: 'The sign-in was cancelled',
  text: 'Another program signs in now. You can close this page.',
};

export const deniedPage = (why: string): SignInPage => ({
  status: 200,
  title: 'The sign-in was refused',
  text: `${why} To try again, go back to the terminal.`,
});

export const failedPage = (why: string): SignInPage => ({
  status: 200,
  title: 'The sign-in failed',
  text: `${why} The terminal says so too.`,
});

/** The page loads nothing, so that neither a script nor another host sees its address, which has the code. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

/** Returns the HTML of a page. */
export function pageHtml({ title, text }: SignInPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} · Oxbow</title>
<style>body{font:18px/1.5 system-ui,sans-serif;max-width:34em;margin:15vh auto;padding:0 1em;color-scheme:light dark}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
