/** Shown instead of an organization that requires single sign-on, to sessions that came about in another way. */
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { goToProvider } from '../session/provider.tsx'
import { useSubmit } from '../session/use-submit.ts'
import { Brand } from './brand.tsx'
import type { Me, OwnOrganization } from './organization.ts'
import { useTitle } from './title.ts'

type Props = { me: Me; organization: OwnOrganization }

export default function RequiredProvider({ me, organization }: Props) {
  useTitle('Single sign-on')
  const { id, name, required_provider } = organization
  const next = `/o/${id}`
  const go = useSubmit(() =>
    goToProvider(required_provider === 'own' ? { org_id: id, next } : { next }),
  )
  const others = me.organizations.filter((each) => !each.requires_single_sign_on)
  return (
    <main class="entrance">
      <Brand />
      <h1>Single sign-on</h1>
      <p>
        <strong>{name}</strong> requires you to sign in by its provider.
      </p>
      <Form onSubmit={go.submit} error={go.error}>
        <Button type="submit" kind="primary" busy={go.isBusy}>
          Continue with single sign-on
        </Button>
      </Form>
      {others.length > 0 && (
        <ul>
          {others.map((each) => (
            <li key={each.id}>
              <a href={`/console/o/${each.id}`}>Go to {each.name}</a>
            </li>
          ))}
        </ul>
      )}
    </main>
  )
}
