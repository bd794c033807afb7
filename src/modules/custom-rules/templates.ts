/** The usual rules, with which the editor starts. Each is a draft in shadow, to be adapted. */
import { CASHIER_TEMPLATES } from './cashier-templates.ts'
import { CHECK_TEMPLATES } from './check-templates.ts'
import type { RuleTarget } from './facts.ts'
import { ORDER_TEMPLATES } from './order-templates.ts'
import type { Template } from './template.ts'

export const RULE_TEMPLATES: Readonly<Record<RuleTarget, readonly Template[]>> = {
  order: ORDER_TEMPLATES,
  check: CHECK_TEMPLATES,
  cashier_action: CASHIER_TEMPLATES,
}
