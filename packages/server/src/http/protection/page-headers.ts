import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/**
 * Headers that keep a page from being framed, sniffed or fed foreign scripts. Only for pages: an answer of the API
 * says all it needs with `X-Content-Type-Options`. Transport security is the business of whoever ends TLS.
 */
export const registerPageHeaders = (app: FastifyInstance): void => {
  app.register(helmet, {
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
        scriptSrcAttr: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'"],
      },
    },
  })
}
