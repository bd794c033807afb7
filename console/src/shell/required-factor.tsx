/** Shown instead of an organization that requires a second factor, until the user has set one up. */
import { Button } from '../components/button.tsx'
import { Passkeys } from '../pages/organization/passkeys.tsx'
import { SecondFactor } from '../pages/organization/second-factor.tsx'
import { useSession } from '../session/context.ts'
import { useSubmit } from '../session/use-submit.ts'
import { Brand } from './brand.tsx'
import type { Me, OwnOrganization } from './organization.ts'
import { useTitle } from './title.ts'

type Props = { me: Me; organization: OwnOrganization; onSetUp: () => void }

export default function RequiredFactor({ me, organization, onSetUp }: Props) {
  useTitle('Set up a second factor')
  const session = useSession()
  const leave = useSubmit(async () => void (await session.signOut()))
  const others = me.organizations.filter(({ requires_second_factor: isRequired }) => !isRequired)
  return (
    <main class="entrance">
      <Brand />
      <h1>Set up a second factor</h1>
      <p>
        <strong>{organization.name}</strong> requires a second factor of all members. You can
        continue when yours is on.
      </p>
      <SecondFactor onSetUp={onSetUp} />
      <Passkeys onAdded={onSetUp} />
      {others.length > 0 && (
        <ul>
          {others.map(({ id, name }) => (
            <li key={id}>
              <a href={`/console/o/${id}`}>Go to {name}</a>
            </li>
          ))}
        </ul>
      )}
      <Button onClick={leave.submit} busy={leave.isBusy}>
        Sign out
      </Button>
    </main>
  )
}
