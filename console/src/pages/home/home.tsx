/** The first page: what needs attention, how much is used, and for newcomers what to do first. */
import type { Overview } from '../../../../src/modules/attention/schema.ts'
import { useRead } from '../../api/read.ts'
import { Page, Section, Shown } from '../../components/index.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { Attention } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'
import { VolumeSection } from './volume.tsx'

const REFRESH_MS = 60_000

export default function Home() {
  const { id: org_id, name, plan } = useOrg()
  const mode = useMode()
  const overview = useRead<Overview>(
    '/console/api/overview',
    { org_id, mode },
    { refresh_ms: REFRESH_MS },
  )
  return (
    <Page title="Home" lead={`${name}, plan ${plan}, ${mode} data`}>
      <Shown read={overview} what="what needs attention">
        {({ attention, credits, has_key, has_usage }) => (
          <>
            {!has_usage && <FirstSteps hasKey={has_key} />}
            {(has_usage || attention.length > 0) && (
              <Section title="Needs attention">
                <Attention items={attention} />
              </Section>
            )}
            {has_usage && <VolumeSection key={mode} credits={credits} />}
          </>
        )}
      </Shown>
    </Page>
  )
}
