/** The setting `credits_required`: priced requests are refused without credits (OP-20). */
import { type AppError, forbidden } from '../../platform/http/errors.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Billing } from './service.ts'

export type CreditRule = { billing: Pick<Billing, 'usageAvailable'>; credits_required: boolean }

/** Always false for test keys, which spend nothing. */
export const isOutOfCredits = async (
  { billing, credits_required }: CreditRule,
  { org_id, mode }: { org_id: string; mode: Mode },
): Promise<boolean> =>
  credits_required && mode === 'live' && !(await billing.usageAvailable(org_id))

export const creditsUsedUp = (): AppError =>
  forbidden('The credits of this organization are used up')
