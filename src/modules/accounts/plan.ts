/** Compares plans (specification, Authentication 7). */
import { PLANS, type Plan } from './tables.ts'

export const hasPlan = (plan: Plan, least: Plan): boolean =>
  PLANS.indexOf(plan) >= PLANS.indexOf(least)
