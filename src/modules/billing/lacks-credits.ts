/** What setting `credits_required` means for whatever is priced (OP-20). */
import { type AppError, forbidden } from '../../platform/http/errors.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { Billing } from './service.ts'

export type CreditRule = { billing: Pick<Billing, 'usageAvailable'>; credits_required: boolean }

/** Test keys spend nothing, so they never lack anything. */
export const lacksCredits = async (
  { billing, credits_required }: CreditRule,
  { org_id, mode }: { org_id: string; mode: Mode },
): Promise<boolean> =>
  credits_required && mode === 'live' && !(await billing.usageAvailable(org_id))

export const creditsUsedUp = (): AppError =>
  forbidden('The credits of this organisation are used up')
