import type { HttpSender } from '../../model/http.ts';
import type { ServerMemory } from '../../model/server-memory.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Wires } from '../../wire/registry.ts';
import type { FoundTarget } from '../find-target.ts';
import type { GatewayOptions, GatewaySettings } from '../gateway.ts';
import type { AnswerRoom } from '../server/answer-room.ts';
import type { BodyRoom } from '../server/body-room.ts';
import type { Incoming } from '../server/client-io.ts';
import type { TimeLimit } from '../server/time-limit.ts';
import type { Timers } from '../server/timers.ts';
import type { ClientAnswer } from './client-answer.ts';
import type { ExchangeRecord } from './exchange-record.ts';

/** The parts that all exchanges of a gateway share. */
export interface ExchangeParts
  extends Pick<GatewayOptions, 'credentials' | 'env' | 'world' | 'store' | 'onReport' | 'onQuirk'> {
  readonly http: HttpSender;
  readonly memory: ServerMemory;
  readonly timers: Timers;
  readonly bodyRoom: BodyRoom;
  readonly answerRoom: AnswerRoom;
  readonly wires: Wires;
  /** The settings when the exchange began. */
  readonly settings: GatewaySettings;
  /** Returns the target of a name by these settings. May throw `ClientError`. */
  readonly findTarget: (name: string) => FoundTarget | Promise<FoundTarget>;
  /** Throws `ClientError` when the gateway does not accept the request. Called before the request is read. */
  readonly admit: (incoming: Incoming) => void;
  /** Reports whether few other exchanges are under way. */
  readonly isQuiet: () => boolean;
}

/**
 * One exchange of a client with a server, from the request to the end of its answer. The exchange lives as long as the
 * answer, so it must not refer to the request, which may be long.
 */
export interface GatewayExchange {
  /** The wire of the client. */
  readonly wire: Wire;
  readonly incoming: Incoming;
  readonly outgoing: ClientAnswer;
  readonly record: ExchangeRecord;
  readonly limit: TimeLimit;
  readonly parts: ExchangeParts;
}
