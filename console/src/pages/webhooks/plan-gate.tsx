import type { ComponentChildren } from 'preact'
import { Empty } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

/** Shows its content on the Starter plan and higher plans, otherwise how to upgrade. */
export function PlanGate({ children }: { children: ComponentChildren }) {
  const { plan, name, id } = useOrg()
  if (plan !== 'free') return <>{children}</>
  return (
    <Empty title="Webhooks require the Starter plan or higher">
      <p>
        {name} is on the Free plan. An owner can change the plan under Organization, or the operator
        of this service with <code>npx vigil org plan --org {id} --plan starter</code>
      </p>
      <p>
        Webhooks notify your systems with signed HTTPS requests when an order is suspicious, a check
        completes or a device changes, and retry failed deliveries for three days.
      </p>
    </Empty>
  )
}
