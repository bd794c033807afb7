/** What apps tell of the notifications that reached them (OP-35), for owners and admins to try it out. */
import { Type } from 'typebox'
import { type Members, requireAdmin } from '../../modules/accounts/index.ts'
import { RECEIPT_KINDS, type Receipts } from '../../modules/push/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { choice } from '../../platform/http/schemas.ts'

export type PushReceiptDependencies = { accounts: Members; receipts: Receipts }

const RECEIPTS_MAX = 100

const receiptsBody = Type.Object({
  org_id: Type.String(),
  receipts: Type.Array(
    Type.Object({
      message_id: Type.String({ format: 'uuid' }),
      subscription_id: Type.String({ format: 'uuid' }),
      kind: choice(RECEIPT_KINDS),
    }),
    { minItems: 1, maxItems: RECEIPTS_MAX },
  ),
})

export function pushReceiptRoutes(app: App, { accounts, receipts }: PushReceiptDependencies): void {
  app.post(
    '/console/api/push/receipts',
    {
      config: { access: 'portal', rate_class: 'console' },
      schema: { body: receiptsBody },
    },
    async (request) => {
      const { org_id, receipts: told } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const { known } = await receipts.record(org_id, told)
      return envelope('Receipts', { received: told.length, known })
    },
  )
}
