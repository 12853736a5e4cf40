import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { settings } from '../src/config.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const deploy = join(root, 'deploy')
const known = new Set(Object.values(settings).map(({ name }) => name))

// biome-ignore lint/suspicious/noExplicitAny: manifests have every shape
type Manifest = any

const documentsIn = (path: string): Manifest[] =>
  parseAllDocuments(readFileSync(path, 'utf8'), { merge: true }).map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [], path)
    return document.toJS()
  })

/** How long a node finishes what is running, after WORKLORE_DRAIN_SECONDS; then it writes down what it has counted. */
const stopSeconds = 10

describe('what deploys the service', () => {
  const composed = [
    ...['compose.yaml', 'compose.postgres.yaml'].map((name) => join(root, name)),
    ...readdirSync(deploy)
      .filter((name) => name.startsWith('compose'))
      .map((name) => join(deploy, name)),
  ]

  for (const path of composed) {
    it(`sets what there is to set, and waits for services and volumes that there are: ${path.slice(root.length)}`, () => {
      const [{ services, volumes }] = documentsIn(path)
      const nodes = Object.values<Manifest>(services).filter(({ build }) => build !== undefined)
      assert.ok(nodes.length > 0)
      for (const { build, environment, stop_grace_period: grace } of nodes) {
        assert.equal(join(path, '..', build, 'Dockerfile'), join(root, 'Dockerfile'))
        for (const name of Object.keys(environment)) assert.ok(known.has(name), name)
        const { hosts } = /@(?<hosts>[^/]+)\//.exec(environment.DATABASE_URL ?? '')?.groups ?? {}
        for (const host of hosts?.split(',') ?? []) assert.ok(host.split(':')[0]! in services, host)
        assert.ok(Number.parseInt(grace, 10) > 5 + stopSeconds)
      }
      for (const { image, healthcheck } of Object.values<Manifest>(services)) {
        // While it is set up, PostgreSQL answers on its socket alone, and is then started again.
        if (/postgres|citus/.test(image) && !healthcheck.disable) assert.match(healthcheck.test[1], /-h 127\.0\.0\.1/)
      }
      for (const { depends_on: needed = {}, volumes: used = [] } of Object.values<Manifest>(services)) {
        for (const name of Object.keys(needed)) assert.ok(name in services, name)
        for (const volume of used) assert.ok(volume.split(':')[0] in volumes, volume)
      }
    })
  }

  it('probes and stops a node on Kubernetes as it answers and stops', () => {
    const documents = documentsIn(join(deploy, 'kubernetes.yaml'))
    const [deployment, service, budget] = documents
    assert.deepEqual(
      documents.map(({ kind }) => kind),
      ['Deployment', 'Service', 'PodDisruptionBudget'],
    )
    const { spec, metadata } = deployment.spec.template
    const [container] = spec.containers
    const { readinessProbe, livenessProbe, env, ports } = container
    for (const selector of [
      deployment.spec.selector.matchLabels,
      service.spec.selector,
      budget.spec.selector.matchLabels,
    ])
      assert.deepEqual(selector, metadata.labels)
    for (const { name } of env) assert.ok(known.has(name), name)
    const drainSeconds = Number(env.find(({ name }: { name: string }) => name === 'WORKLORE_DRAIN_SECONDS').value)
    // It still writes down what it has counted after that.
    assert.ok(spec.terminationGracePeriodSeconds > drainSeconds + stopSeconds)
    assert.ok(drainSeconds > readinessProbe.periodSeconds * readinessProbe.failureThreshold)
    assert.deepEqual([readinessProbe.httpGet.path, livenessProbe.httpGet.path], ['/readyz', '/healthz'])
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
    assert.match(dockerfile, new RegExp(`^EXPOSE ${ports[0].containerPort}$`, 'm'))
    assert.ok(budget.spec.minAvailable < deployment.spec.replicas)
  })
})
