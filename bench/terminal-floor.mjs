// The floor of the terminal: the least Node code that draws a prompt, takes keys one by one and shows them.
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => process.stdout.write(bytes));
process.stdout.write('› ');
