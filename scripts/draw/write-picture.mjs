import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes a picture into docs/. With --check it compares instead, and sets the exit code if the picture is not the one that is there. */
export function writePicture(name, picture, { command }) {
  const file = new URL(`../../docs/${name}.svg`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, picture);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== picture) {
    process.stderr.write(`docs/${name}.svg is not what the program shows. Run: npm run ${command}\n`);
    process.exitCode = 1;
  }
}
