import type { Overview } from '../../../../src/modules/attention/schema.ts'
import { useRead } from '../../api/read.ts'
import { capitalized, countText, Loaded, Page, Section } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg, useScope } from '../../shell/organization.ts'
import { useFiring } from '../../shell/title.ts'
import { Attention } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'
import { VolumeSection } from './volume.tsx'

const REFRESH_MS = 60_000

export default function Home() {
  const { name, plan } = useOrg()
  const scope = useScope()
  const { mode } = scope
  const firing = useFiring()
  const overview = useRead<Overview>('/console/api/overview', scope, { refresh_ms: REFRESH_MS })
  return (
    <Page title="Home" lead={`${name}, ${capitalized(plan)} plan, ${mode} data`}>
      <Loaded read={overview} what="the overview">
        {({ attention, credits, has_key, has_usage }) => (
          <>
            {!has_usage && <FirstSteps hasKey={has_key} />}
            {(has_usage || attention.length > 0 || firing > 0) && (
              <Section title="Needs attention">
                <Attention items={attention} />
                {firing > 0 && (
                  <p>
                    <PageLink to="/notifications" query={{ lasting: 'true' }}>
                      {countText(firing, 'notifications')} not acknowledged
                    </PageLink>
                  </p>
                )}
              </Section>
            )}
            {has_usage && <VolumeSection key={mode} credits={credits} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
