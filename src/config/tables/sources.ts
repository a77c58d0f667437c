import { oneOf, TEXT } from '../setting/kinds.ts';
import { setting } from '../setting/setting.ts';

export const PROFILE_SETTINGS = {
  /** Profile to use. `-p NAME` beats it. */
  profile: setting('profile', TEXT),
};

export const PROJECT_SETTINGS = {
  /**
   * Whether the settings of a project count, see [projects](#projects). The name is the path of a folder. The entry of a
   * folder beats that of its project's root.
   * @default not trusted, with a warning where a project has settings
   */
  trustLevel: setting('projects.*.trust_level', oneOf('trusted', 'untrusted')),
};
