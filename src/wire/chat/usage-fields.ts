import type { Usage } from '../../base/usage.ts';
import { readUsage as read, writeUsage as write } from '../fields/token-usage.ts';

const NAMES = { input: 'prompt', output: 'completion' };

export const readUsage = (value: unknown): Usage | null => read(value, NAMES);
export const writeUsage = (usage: Usage): object => write(usage, NAMES);
