/** A system call as a filter sees it. */
export interface Call {
  readonly number: number;
  readonly arch: number;
  readonly args?: readonly bigint[];
}

/** Decision of the kernel about a call. */
export type Verdict = 'allow' | 'kill' | { readonly errno: number };

/** Runs a filter over a call as the kernel does, with the same strictness about jumps and the end. */
export function interpret(program: Uint8Array, call: Call): Verdict {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = dataOf(call);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const value = code.getUint32(at * 8 + 4, true);
    const jump = (holds: boolean) => code.getUint8(at * 8 + (holds ? 2 : 3));
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x54:
        accumulator = (accumulator & value) >>> 0;
        break;
      case 0x05:
        at += value;
        break;
      case 0x15:
        at += jump(accumulator === value);
        break;
      case 0x35:
        at += jump(accumulator >= value);
        break;
      case 0x45:
        at += jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return verdictOf(value);
      default:
        throw new Error(`unknown instruction at ${at}`);
    }
  }
  throw new Error('the program ends without an answer');
}

function dataOf({ number, arch, args = [] }: Call): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number >>> 0, true);
  data.setUint32(4, arch, true);
  for (const [index, argument] of args.entries()) data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, argument), true);
  return data;
}

function verdictOf(value: number): Verdict {
  if (value === 0x7fff0000) return 'allow';
  if (value === 0x80000000) return 'kill';
  if ((value & 0xffff0000) >>> 0 === 0x00050000) return { errno: value & 0xffff };
  throw new Error(`unknown answer ${value}`);
}
