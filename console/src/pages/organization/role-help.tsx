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
          'Invites and manages members and admins, API keys, webhooks, devices and push, and changes rules.',
        ],
        [ROLE_NAMES.member, 'Sees checks, orders, logs and devices, and decides reviews.'],
      ]}
    />
  </Section>
)
