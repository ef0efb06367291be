"""What is too slow for a page: one module per question, its stored result, and a stamp on it.

``make experiments`` computes what is missing or old; chapters read it with
`nta_core.stored_result`; the tests check that every stored result belongs to the present code.
"""
