/** The deletion of a person's data, for owners and admins. A dry run first reports what would be deleted. */
import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { faultOf } from './person.ts'
import type { PersonDeletion } from './service.ts'

const VALUE_MAX_CHARS = 512
/** A console or a proxy waits longer for a response; the console then continues with the next step. */
const REQUEST_MS = 15_000

export function personRoutes(
  app: App,
  { person_deletion, clock }: { person_deletion: PersonDeletion; clock: Clock },
): void {
  const value = () => Type.Optional(Type.String({ minLength: 1, maxLength: VALUE_MAX_CHARS }))
  const body = Type.Object({
    email: value(),
    phone: value(),
    profile: value(),
    device: value(),
    dry_run: Type.Boolean(),
    from_step: Type.Optional(Type.String({ maxLength: 100 })),
  })
  const config = { access: { member: 'admin' }, rate_class: 'console', fresh_factor: true } as const
  app.post('/console/api/people/deletion', { config, schema: { body } }, async (request) => {
    const { member } = request
    const { dry_run: is_dry, from_step, email, phone, profile, device } = request.body
    const query = Object.fromEntries(
      Object.entries({ email, phone, profile, device }).filter(([, text]) => text !== undefined),
    )
    const fault = faultOf(query)
    if (fault) throw invalidRequest(fault.field, fault.message)
    const until = new Date(clock.now().getTime() + REQUEST_MS)
    const by = member.user_id
    const report = await person_deletion.run(member.org_id, query, { is_dry, by, from_step, until })
    return envelope(is_dry ? 'Nothing was deleted' : 'Deleted', report)
  })
}
