/** What each role may do. */
import { Facts, Section } from '../../components/index.ts'
import { ROLE_NAMES } from './words.ts'

export const RoleHelp = () => (
  <Section title="Roles">
    <Facts
      facts={[
        [ROLE_NAMES.owner, 'May do everything, and alone decides about owners and the plan.'],
        [
          ROLE_NAMES.admin,
          'Besides: invites and manages members and admins, creates API keys, applies rules, changes managed devices and push, and sees usage and the audit log.',
        ],
        [
          ROLE_NAMES.member,
          'Sees checks, orders, cashiers, logs and devices, tries checks (live ones cost credits), decides reviews, and manages webhooks and alert rules.',
        ],
      ]}
    />
  </Section>
)
