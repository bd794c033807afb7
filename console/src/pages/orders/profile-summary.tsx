import type { ProfileHead } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Facts, RiskScore, Section, Time } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'

type Profile = Answer<ProfileHead>

export function ProfileSummary({ profile }: { profile: Profile }) {
  return (
    <Section
      title="Profile"
      actions={<RiskScore score={profile.risk_score} level={profile.risk_level} />}
    >
      <Facts
        facts={[
          [
            'Name',
            <PageLink to={`/orders/profiles/${profile.id}`}>{profile.external_id}</PageLink>,
          ],
          ...profileFacts(profile),
        ]}
      />
    </Section>
  )
}

export const profileFacts = (profile: Profile) =>
  [
    ['Type', profile.profile_type],
    ['Country', profile.country_code],
    ['Orders', profile.total_orders],
    ['Devices', profile.device_count],
    ['First seen', <Time at={profile.first_seen_at} />],
    ['Last seen', <Time at={profile.last_seen_at} />],
  ] as const
