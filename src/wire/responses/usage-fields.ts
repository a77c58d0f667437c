import type { Usage } from '../../base/usage.ts';
import { readUsage as read, writeUsage as write } from '../fields/token-usage.ts';

const NAMES = { input: 'input', output: 'output' };

export const readUsage = (value: unknown): Usage | null => read(value, NAMES);
export const writeUsage = (usage: Usage | null): object | null => usage && write(usage, NAMES);
