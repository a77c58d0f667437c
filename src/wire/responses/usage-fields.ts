import type { Usage } from '../../base/usage.ts';
import { INPUT_AND_OUTPUT, readUsage as read, writeUsage as write } from '../fields/token-usage.ts';

export const readUsage = (value: unknown): Usage | null => read(value, INPUT_AND_OUTPUT);
export const writeUsage = (usage: Usage | null): object | null => usage && write(usage, INPUT_AND_OUTPUT);
