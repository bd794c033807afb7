/** Costs of a period, and what each API key costs this month. */
import type { PricedCosts } from '../../../../src/modules/volume/schema.ts'
import { useRead } from '../../api/read.ts'
import { numberText } from '../../components/index.ts'
import { zoneName } from '../../components/zone.ts'
import { useOrg } from '../../shell/organization.ts'
import { moneyText } from './money.ts'
import { type Period, periodOf } from './periods.ts'

export type MonthCosts = Pick<PricedCosts, 'keys' | 'price'>

export function useCosts(period: Period) {
  const { id: org_id } = useOrg()
  return useRead<PricedCosts>(
    '/console/api/costs',
    { org_id, ...period, time_zone: zoneName() },
    { keep_previous: true },
  )
}

/** @returns undefined until the costs are known */
export const useMonthCosts = (): MonthCosts | undefined =>
  useCosts(periodOf({ month: '', from: '', to: '' }, new Date())).data

/** The amount, or credits if there is no price. */
export function monthText(costs: MonthCosts | undefined, keyId: string): string {
  if (costs === undefined) return '–'
  const { keys, price } = costs
  const credits = keys.find(({ key_id }) => key_id === keyId)?.total_credits ?? 0
  return price === null
    ? `${numberText(credits, { digits: 4 })} credits`
    : moneyText(credits, price)
}
