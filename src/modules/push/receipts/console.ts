/** Console route that records receipts, so that owners and admins can try them out (OP-35). */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { RECEIPT_KINDS } from './receipt.ts'
import type { Receipts } from './service.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

export type PushReceiptDependencies = { receipts: Receipts }

const RECEIPTS_MAX = 100

const receiptsBody = Type.Object({
  receipts: Type.Array(
    Type.Object({
      message_id: Type.String({ format: 'uuid' }),
      subscription_id: Type.String({ format: 'uuid' }),
      kind: choice(RECEIPT_KINDS),
    }),
    { minItems: 1, maxItems: RECEIPTS_MAX },
  ),
})

export function pushReceiptRoutes(app: App, { receipts }: PushReceiptDependencies): void {
  app.post(
    '/console/api/push/receipts',
    { config: ADMIN, schema: { body: receiptsBody } },
    async ({ member, body: { receipts: reported } }) => {
      const { known } = await receipts.record(member.org_id, reported)
      return envelope('Receipts', { received: reported.length, known })
    },
  )
}
