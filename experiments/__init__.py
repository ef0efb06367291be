"""What is too slow for a page: one module per question, and a stamp on its stored result.

``make experiments`` computes what is missing or old; chapters read it with
`nta_book.results.stored_result`; the tests check that every stored result belongs to the present
code.
"""
