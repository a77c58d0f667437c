import type { CommandTask, UpdateStep } from '../effect.ts';
import type { ListRow } from '../list.ts';
import type { TuiMessage } from '../message.ts';
import type { TuiModel } from '../model.ts';
import type { Session } from '../session.ts';

/** A command that is typed after a slash, or work that keys begin in the same way. */
export interface SlashCommand {
  /** Line of the list of commands. Absent: the command cannot be typed. */
  readonly summary?: string;
  /** Name of its argument in the list. */
  readonly argument?: string;
  /** Whether the command waits for the end of a running turn. */
  readonly whileIdle?: true;
  /** Begins the command. Absent: only keys and other commands begin its work. */
  begin?(model: TuiModel, argument: string): UpdateStep;
  /** Goes on with the row that the user chose from its list. */
  choose?(model: TuiModel, row: ListRow): UpdateStep;
  /** Does the work that `begin` or `choose` asked for. A `UserError` that it throws is shown. */
  perform?(session: Session, task: CommandTask): Promise<readonly TuiMessage[]>;
}
