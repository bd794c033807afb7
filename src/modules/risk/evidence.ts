export type EvidenceSignal =
  | 'domain_age'
  | 'mx'
  | 'disposable'
  | 'velocity'
  | 'phone'
  | 'device'
  | 'ip'

/** A finding behind a signal, stored with the check for `vigil check explain`. */
export type Evidence = {
  readonly signal: EvidenceSignal
  /** Strength of 0-100; a finding of strength 0 explains why something does not count. */
  readonly score: number
  /** Stable name of the finding in snake_case, such as `registered_recently`. */
  readonly finding: string
  /** One sentence with the numbers of the finding. */
  readonly detail: string
}
