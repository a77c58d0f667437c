import type { EdgeWire } from '../edge/edge-wire.ts';
import { sameOr, withField } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

export const firstCallOnly: EdgeWire['firstCallOnly'] = () => {
  let called = false;
  let dropped = 0;
  /** Numbers of blocks in the answer; undefined for a block that was dropped. */
  const numbers = new Map<unknown, number | undefined>();
  const isFirst = (block: unknown): boolean => {
    if (fieldsOf(block).type !== 'tool_use') return true;
    const isNew = !called;
    called = true;
    return isNew;
  };

  return (value) => {
    if (Array.isArray(value.content)) {
      const content = sameOr(value.content, value.content.filter(isFirst));
      return withField(value, 'content', content);
    }
    if (value.type === 'content_block_start') {
      const isKept = isFirst(value.content_block);
      numbers.set(value.index, isKept ? Number(value.index) - dropped : undefined);
      if (!isKept) dropped++;
    }
    // Clients expect that the numbers of blocks have no gaps.
    return dropped > 0 && numbers.has(value.index) ? renumbered(value, numbers.get(value.index)) : value;
  };
};

function renumbered(value: Fields, index: number | undefined): Fields | undefined {
  return index === undefined ? undefined : withField(value, 'index', index);
}
