/**
 * Strengths of the findings about an address, 0-100, chosen for the weights of the check (domain age
 * .55, mail route .75, disposable .90, combined by a capped noisy-OR): a curated list or two
 * independent lists leave little doubt; a single big list just exceeds a score of 50 (54).
 */
export const DISPOSABLE_GRADES = {
  curated: 100,
  two_lists: 90,
  curated_mail_host: 85,
  two_lists_mail_host: 70,
  one_list_supported: 75,
  one_list: 60,
  relay: 15,
  /** A listed name that is one slip away from a well-known one. */
  typing_slip: 35,
} as const

export const MAIL_ROUTE_GRADES = {
  null_mx: 100,
  nxdomain: 100,
  points_inward: 90,
  no_mail: 85,
  implicit_mx: 20,
  mx: 0,
} as const

export const LOOKALIKE_GRADES = {
  foreign_letters: 85,
  mixed_scripts: 60,
  same_shape: 55,
  typing_slip: 30,
  /** Enough to ask the customer again: the mail would go to someone else. */
  typing_slip_of_mail: 68,
} as const

export const LOCAL_PART_GRADES = {
  role_account: 0,
  no_vowels: 8,
  consonant_run: 5,
  mostly_digits: 8,
  random_looking: 10,
} as const

/** Bounds of the domain age in days. The first bound above the age applies; older domains get 0. */
export const AGE_GRADES: readonly { readonly below_days: number; readonly score: number }[] = [
  { below_days: 1, score: 95 },
  { below_days: 7, score: 85 },
  { below_days: 30, score: 70 },
  { below_days: 90, score: 45 },
  { below_days: 365, score: 20 },
  { below_days: 1096, score: 5 },
]

/** The registry has no record of the domain, and the domain does not resolve. */
export const NOT_REGISTERED = 85

/** Below this age, a domain supports a listing by a single big list. */
export const NEW_DOMAIN_DAYS = 90

/** For addresses that cannot receive mail: invalid syntax, NXDOMAIN, null MX (RFC 7505). */
export const UNDELIVERABLE_FLOOR = 95
