/** What a plan includes (specification, Authentication 7). */
import { PLANS, type Plan } from '../../platform/postgres/tables/accounts.ts'

/** Whether the plan is the least one asked for, or a higher one. */
export const hasPlan = (plan: Plan, least: Plan): boolean =>
  PLANS.indexOf(plan) >= PLANS.indexOf(least)
