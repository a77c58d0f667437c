import { describe } from 'vitest';
import { testSdkCases } from './cases.ts';
import { installedDriver, ownDriver } from './drivers.ts';

describe('driven as the SDK of Codex drives it', () => testSdkCases(ownDriver));

// Most machines do not have the SDK. Without it no test counts as skipped.
const folder = process.env.OXBOW_CLIENTS;
const installed = folder && (await installedDriver(folder));
if (installed) describe('driven by the SDK of Codex', () => testSdkCases(installed));
