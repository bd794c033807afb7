import { useEffect } from 'preact/hooks'
import type { Overview } from '../../../../src/modules/attention/schema.ts'
import { useRead } from '../../api/read.ts'
import { capitalized, countText, Loaded, Page, Section } from '../../components/index.ts'
import { zoneName } from '../../components/zone.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useOrg, useScope } from '../../shell/organization.ts'
import { useFiring } from '../../shell/title.ts'
import { Attention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { VolumeSection } from './volume.tsx'

const REFRESH_MS = 60_000
/** Organizations that were opened in the mode that has data; later the user chooses the mode. */
const opened = new Set<string>()

export default function Home() {
  const { id, name, plan } = useOrg()
  const scope = useScope()
  const { mode } = scope
  const firing = useFiring()
  const go = useGo()
  const overview = useRead<Overview>(
    '/console/api/overview',
    { ...scope, time_zone: zoneName() },
    { refresh_ms: REFRESH_MS },
  )
  const isElsewhere = overview.data?.has_usage === false && overview.data.other_mode_has_usage
  useEffect(() => {
    if (!overview.data || opened.has(id)) return
    opened.add(id)
    if (isElsewhere && mode === 'live') go('/', { mode: 'test' })
  }, [overview.data])
  return (
    <Page title="Home" lead={`${name}, ${capitalized(plan)} plan, ${mode} data`}>
      <Loaded read={overview} what="the overview">
        {({ attention, credits, figures, fortnight, has_key, has_usage, steps }) => (
          <>
            <FirstSteps hasKey={has_key} done={steps} />
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
            <Figures figures={figures} />
            {has_usage && <VolumeSection key={mode} credits={credits} fortnight={fortnight} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
