import { FLAG } from '../setting/kinds.ts';
import { setting } from '../setting/setting.ts';

export const NETWORK_SETTINGS = {
  /**
   * Whether Oxbow contacts only servers on [this machine](network.md#offline). A request to another one is an error before
   * its name is looked up.
   */
  offline: setting('offline', FLAG, { default: false }),
};
