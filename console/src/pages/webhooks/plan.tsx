/** Webhooks belong to the Starter plan and those above it. */
import type { ComponentChildren } from 'preact'
import { Empty } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

export function PlanGate({ children }: { children: ComponentChildren }) {
  const { plan, name, id } = useOrg()
  if (plan !== 'free') return <>{children}</>
  return (
    <Empty title="Webhooks need the Starter plan or a higher one">
      <p>
        {name} is on the Free plan. Whoever runs the service changes it with{' '}
        <code>npx vigil org plan --org {id} --plan starter</code>
      </p>
      <p>
        With it, Vigil tells your systems by a signed HTTPS request when an order is suspicious, a
        check is finished, or a device changes, and tries again for three days when they do not
        answer.
      </p>
    </Empty>
  )
}
