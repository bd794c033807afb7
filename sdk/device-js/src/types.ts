/**
 * The public types: the options of a page and what is collected. This file imports nothing, because the
 * build publishes it as the type declarations of the package.
 */

/** `true` is equivalent to `'granted'`. `false` also removes the id that an earlier consent left. */
export type Consent = boolean | 'granted' | 'pending'

export type DeviceOptions = {
  /** A public key, `pk_live_…` or `pk_test_…`. It signs the report. Secret keys are refused. */
  api_key: string
  /**
   * Consent to recognizing the device: canvas, audio, fonts, WebGL and an id in the storage of the
   * browser. Default `'granted'`. Without it there is no `fingerprint_hash`.
   */
  consent?: Consent
  /** The form to summarize the use of. Default: the whole page. */
  form?: EventTarget
}

/** How a form was used: counts and times, never what was entered. Password fields are left out. */
export type Behavior = {
  /** Time since `init` was called. */
  page_ms: number
  /** Time between the first and the last change of a field. */
  form_ms: number
  /** Fields that were changed. */
  fields: number
  /** Characters or words that were typed. */
  insertions: number
  /** Deletions. */
  corrections: number
  pastes: number
  /** Changes by the browser: autofill and corrections of spelling. */
  replacements: number
  /** Changes by a script, which includes most password managers. */
  scripted_changes: number
  /** The median time between two insertions into a field, if there were at least five times. */
  interval_ms_median?: number
  interval_ms_deviation?: number
  clicks: number
  pointer_moves: number
  /** Number of times that the page was hidden. */
  departures: number
}

export type Collected = {
  /** Identifies the device; also a member of orders and profiles. Absent if unknown. */
  fingerprint_hash?: string
  /** The `device` of `POST /v1/check`. */
  device: {
    fingerprint_hash?: string
    /** Everything that was measured, signed with the public key. For one check within half an hour. */
    signed_report?: string
  }
  /** The `behavior` of `POST /v1/check`; the signed report contains it too. */
  behavior: Behavior
}

export type DeviceHandle = {
  /**
   * Measures the device and returns a new report. Call it when the form is sent, once per check. Never
   * rejects: what cannot be measured is absent.
   */
  collect: () => Promise<Collected>
  setConsent: (consent: Consent) => void
  /** Removes all listeners from the page. */
  stop: () => void
}
