/** Responses of the console about credits. */

/** The available credits are the posted balance minus the unposted usage, and can be negative. */
export type FundsInCredits = {
  balance_credits: number
  unposted_usage_credits: number
  available_credits: number
}

/** `low_balance_credits` is null if the level is what was used in the last seven days. */
export type Credits = FundsInCredits & { low_balance_credits: number | null }

/** A transfer to or from the balance. */
export type LedgerEntry = {
  id: string
  at: string
  /** Positive for transfers to the balance. */
  credits: number
  reason: string
  /** The parts of a debit; empty for grants, and for debits of earlier versions. */
  usage: { meter: string; quantity: number; credits: number }[]
  /** The balance after the transfer. */
  balance_credits: number
}

export type LedgerPage = { entries: LedgerEntry[]; next_cursor: string | null }
