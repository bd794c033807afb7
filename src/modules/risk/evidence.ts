/**
 * One finding behind a signal, kept with the check so that `vigil check explain` can show it.
 */
export type EvidenceSignal =
  | 'domain_age'
  | 'mx'
  | 'disposable'
  | 'velocity'
  | 'phone'
  | 'device'
  | 'ip'

export type Evidence = {
  readonly signal: EvidenceSignal
  /** Strength 0-100; 0 explains why something does not count. */
  readonly score: number
  /** Stable snake_case name of the finding, e.g. `registered_recently`. */
  readonly finding: string
  /** One plain sentence with the numbers in it. */
  readonly detail: string
}
