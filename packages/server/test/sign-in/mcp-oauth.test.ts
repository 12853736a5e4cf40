import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createBrowser, describeSignIn, type SignInStage } from './stage.js'

const redirectUrl = 'http://127.0.0.1:9/callback'
const identity = { name: 'worklore-test', version: '1.0.0' }

/** What a client keeps of its registration and tokens, and the page that it would open for the person. */
const createAuth = () => {
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; page?: URL; discovery?: unknown } = {}
  const authProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'agent',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (page: URL) => {
      kept.page = page
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (discovery: unknown) => {
      kept.discovery = discovery
    },
    discoveryState: () => kept.discovery,
  }
  return { kept, authProvider: authProvider as never }
}

/** The person signs in at the issuer; answers what leads back to the client. */
const approve = async ({ provider }: SignInStage, page: URL, account: string): Promise<URLSearchParams> => {
  provider.current = account
  const { location } = await createBrowser().follow(page.href, /^http:\/\/127\.0\.0\.1:9\//)
  return new URL(location).searchParams
}

describeSignIn('the OAuth flow of an MCP client', (stage) => {
  const generations = [
    { name: 'current', Client: NewClient, Transport: NewTransport },
    { name: 'older', Client: OldClient, Transport: OldTransport },
  ] as const
  for (const { name, Client, Transport } of generations) {
    it(`goes from a 401 to the call of a tool with the ${name} client`, async () => {
      const { wl, provider } = stage
      provider.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' })
      const { kept, authProvider } = createAuth()
      const endpoint = new URL(`${wl.baseUrl}/mcp`)
      const transport = new Transport(endpoint, { authProvider })
      await assert.rejects(new Client(identity).connect(transport as never), /unauthorized/i)
      assert.equal(kept.page?.origin, provider.issuer)
      assert.equal(kept.page?.searchParams.get('resource'), `${wl.baseUrl}/mcp`)
      const params = await approve(stage, kept.page!, 'ada')
      await transport.finishAuth(params.get('code')!, params.get('iss') ?? undefined)

      const client = new Client(identity)
      await client.connect(new Transport(endpoint, { authProvider }) as never)
      const result = await client.callTool({ name: 'list_tasks', arguments: {} })
      assert.notEqual(result.isError, true)
      await client.close()
      const { data } = (await wl.get('/v1/users?limit=100')).body
      assert.equal(data.filter(({ email }: { email: string }) => email === 'ada@example.com').length, 1)
    })
  }
})
