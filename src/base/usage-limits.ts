/** Limits on the use of an account, as a server last reported them. */
export interface UsageLimits {
  /** Name of the plan, such as `plus`, if the server names it. */
  readonly plan: string | null;
  readonly windows: readonly UsageWindow[];
}

/** A limit on the use in one span of time. */
export interface UsageWindow {
  /** Name of the limit: `primary` and `secondary` for a plan of ChatGPT, `requests` and `tokens` for a key. */
  readonly name: string;
  /** Used part of the limit, from 0 to 100. */
  readonly usedPercent: number;
  /** Length of the span, if the server reports it. */
  readonly windowMinutes: number | null;
  /** Time when the span ends, in milliseconds since 1970. */
  readonly resetsAt: number | null;
}
