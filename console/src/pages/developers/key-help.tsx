/** What the four types of key are for. */
import { Columns, Section } from '../../components/index.ts'

export const KeyHelp = () => (
  <Columns>
    <Section title="Secret and public">
      <div class="prose">
        <p>
          <strong>Secret keys</strong> (<code>sk_…</code>) may call everything. They belong on your
          servers and on devices of your own that send logs, in the <code>X-API-Key</code> header;
          never in a page or an app.
        </p>
        <p>
          <strong>Public keys</strong> (<code>pk_…</code>) may send browser events and nothing else,
          so they can stand in a page or an app.
        </p>
      </div>
    </Section>
    <Section title="Live and test">
      <div class="prose">
        <p>
          <strong>Live keys</strong> are for real traffic. What they do costs credits and teaches
          the scoring.
        </p>
        <p>
          <strong>Test keys</strong> cost nothing. Their data stays apart, and reserved e-mails and
          numbers have fixed outcomes. See the <a href="/docs">API reference</a>.
        </p>
      </div>
    </Section>
  </Columns>
)
