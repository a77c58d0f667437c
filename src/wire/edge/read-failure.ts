import { fieldsOf } from '../fields/lenient-fields.ts';

/**
 * Reads the error object of an answer, in any of the shapes that servers use. A number for a status says more than the
 * name of a type.
 */
export function readFailure(error: unknown): { readonly code: string | null; readonly message: string } {
  const { code, status, type, message } = fieldsOf(error);
  const words = [code, typeof status === 'number' ? status : undefined, type];
  const word = words.find((value) => (typeof value === 'string' && value !== '') || typeof value === 'number');
  const said = [message, error].find((value) => typeof value === 'string' && value !== '');
  return {
    code: word === undefined ? null : String(word),
    message: typeof said === 'string' ? said : 'The server reported a failure and did not say which.',
  };
}
