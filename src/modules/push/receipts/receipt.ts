/** Receipts: reports of an app that a notification was received or clicked. */
export const RECEIPT_KINDS = ['received', 'clicked'] as const
export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

export type Receipt = {
  org_id: string
  message_id: string
  subscription_id: string
  kind: ReceiptKind
}
