import { StringDecoder } from 'node:string_decoder';
import { UserError } from '../../base/errors.ts';

/** Asks for a key on the terminal. The typed characters are not shown. Throws `UserError` when the user gives up. */
export async function askKey(stdin: NodeJS.ReadStream, ask: (text: string) => void): Promise<string> {
  const decoder = new StringDecoder('utf8');
  // Before the question: a key that is typed as soon as it stands there must not be shown either.
  stdin.setRawMode(true);
  ask('API key, which is not shown: ');
  try {
    return await new Promise<string>((resolve, reject) => {
      let key = '';
      const givenUp = () => reject(new UserError('invalid_input', 'No key was typed.'));
      stdin.on('end', givenUp);
      stdin.on('data', (bytes: Buffer) => {
        for (const character of decoder.write(bytes)) {
          if (character === '\r' || character === '\n') resolve(key);
          else if (character === '\u0003' || character === '\u0004') givenUp();
          else if (character === '\u007f' || character === '\b') key = key.slice(0, -1);
          else key += character;
        }
      });
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.pause();
    stdin.setRawMode(false);
    ask('\n');
  }
}
