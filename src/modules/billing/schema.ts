/** What the console reads of credits. */

/** What an organisation can spend: the posted balance less what was used since. May be negative. */
export type FundsInCredits = {
  balance_credits: number
  unposted_usage_credits: number
  available_credits: number
}

/** What moved credits to or from the balance. Newest first. */
export type LedgerEntry = {
  id: string
  at: string
  /** Positive: to the balance. */
  credits: number
  reason: string
  /** After it. */
  balance_credits: number
}

export type LedgerPage = { entries: LedgerEntry[]; next_cursor: string | null }
