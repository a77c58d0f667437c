import type { TuiModel } from '../model.ts';
import type { ViewOptions } from './view-options.ts';

/** Returns the terminal that rows are made for. */
export const viewOptions = ({ size, place, look }: TuiModel): ViewOptions => ({
  columns: size.columns,
  cwd: place.cwd,
  wrap: look.wrap,
  unicode: look.unicode,
  hyperlinks: look.hyperlinks,
  attributes: look.attributes,
  ...(look.renderBlock ? { renderBlock: look.renderBlock } : {}),
});
