/** Every event type that Vigil delivers to webhooks (specification, "Events"). */
export const EVENT_TYPES = [
  'order.fraud.detected',
  'order.fraud.alert',
  'profile.risk.changed',
  'cashier.fraud.detected',
  'email.check.completed',
  'email.check.failed',
  'mdm.device.enrolled',
  'mdm.device.compliance_changed',
  'mdm.command.completed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
