import { onTestFinished } from 'vitest';
import {
  fault,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedModel,
  startScriptedModel,
} from '../../../src/testing/index.ts';
import { WHOLE_BODIES } from './whole-bodies.ts';

export type WireName = keyof typeof WHOLE_BODIES;

export interface OneWireModel extends Pick<ScriptedModel, 'url' | 'waitForRequest' | 'close'> {
  /** Requests on the path of its wire. */
  readonly requests: readonly RecordedRequest[];
  /** Sets the answers to the next requests, and forgets those that were not asked for. */
  play(answers: readonly ScriptedAnswer[]): void;
}

const PATHS: Readonly<Record<WireName, string>> = {
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  ollama: '/api/chat',
};

/** Starts a scripted model of one wire for one test. */
export async function startOneWireModel(wire: WireName, answers: readonly ScriptedAnswer[]): Promise<OneWireModel> {
  const model = await openOneWireModel(wire, answers);
  onTestFinished(() => model.close());
  return model;
}

/**
 * Starts a scripted model on a server that has one wire only: the paths of the others are unknown. A request that does
 * not ask for a stream gets a body in one piece.
 */
export async function openOneWireModel(wire: WireName, answers: readonly ScriptedAnswer[]): Promise<OneWireModel> {
  let left = [...answers];
  const isAsked = ({ path }: RecordedRequest) => path.split('?')[0] === PATHS[wire];
  const model = await startScriptedModel((request) => {
    if (!isAsked(request)) return fault.status(404, { detail: 'Not Found' });
    const answer = left.shift();
    const isStreamed = request.body.stream ?? wire === 'ollama';
    return answer?.kind === 'reply' && !isStreamed ? fault.status(200, WHOLE_BODIES[wire](answer)) : answer;
  });
  return {
    url: new URL(wire === 'ollama' ? '/api' : '/v1', model.url).href,
    waitForRequest: model.waitForRequest,
    get requests() {
      return model.requests.filter(isAsked);
    },
    play(next) {
      left = [...next];
    },
    close: model.close,
  };
}
